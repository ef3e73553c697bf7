"""A script in a process of its own, with the command line that it has outside Toolcrib too."""

import argparse
import json

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__category__ = "text"
__tool_description__ = "Turn text into capitals, in a process of its own"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "Text to turn"}},
    "required": ["text"],
}


def execute(params: dict, project_path: str) -> dict:
    return {"success": True, "output": params["text"].upper()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--params", required=True)
    parser.add_argument("--project-path", required=True)
    args = parser.parse_args()
    print("this line is a log")
    print(json.dumps(execute(json.loads(args.params), args.project_path)))
