"""execute() may be async, and may import files beside the tool."""

import asyncio

from words import words_of

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "text"
__tool_description__ = "Count the words of several texts at the same time"
__requires__ = []

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "texts": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "Texts to count",
        }
    },
    "required": ["texts"],
}
OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {"counts": {"type": "array", "items": {"type": "integer"}}},
    "required": ["counts"],
}


async def count(text: str) -> int:
    await asyncio.sleep(0)
    return len(words_of(text))


async def execute(params: dict, project_path: str) -> dict:
    counts = await asyncio.gather(*(count(text) for text in params["texts"]))
    return {"success": True, "data": {"counts": list(counts)}}
