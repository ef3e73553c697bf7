"""Count: a Python tool. Toolcrib imports it once into a warm worker and calls execute() for every call."""

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "text"
__tool_description__ = "Count the words of a text"
# What the tool may touch; add fs.read, fs.write, net.http ... as it needs them.
__requires__ = []

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "Text to count"},
        "minimum_length": {"type": "integer", "minimum": 1, "default": 1, "description": "Count only words at least this long"},
    },
    "required": ["text"],
    "additionalProperties": False,
}

OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {"words": {"type": "integer"}},
    "required": ["words"],
}


def execute(params: dict, project_path: str) -> dict:
    """params are validated and have their defaults; whatever is printed becomes a log line."""
    words = [word for word in params["text"].split() if len(word) >= params["minimum_length"]]
    return {"success": True, "data": {"words": len(words)}}
