"""The newer way: execute() with a schema, paths resolved against the project and kept inside it."""

import argparse
import json
from pathlib import Path

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "file-system"
__tool_description__ = "Create, overwrite or extend a file of the project"
__requires__ = ["fs.write"]

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "file_path": {
            "type": "string",
            "description": "Path to the file, from the project's root or absolute",
        },
        "content": {"type": "string", "description": "Content to write to the file"},
        "timeout": {
            "type": "integer",
            "description": "A parameter like any other: it reaches the tool",
            "default": 120,
        },
        "mode": {
            "type": "string",
            "description": "Write mode",
            "enum": ["overwrite", "append"],
            "default": "overwrite",
        },
    },
    "required": ["file_path", "content"],
}


def execute(params: dict, project_path: str) -> dict:
    project = Path(project_path).resolve()
    file_path = Path(params["file_path"])
    if not file_path.is_absolute():
        file_path = project / file_path
    file_path = file_path.resolve()
    if not file_path.is_relative_to(project):
        return {"success": False, "error": "Path is outside the project workspace"}
    try:
        file_path.parent.mkdir(parents=True, exist_ok=True)
        with open(file_path, "a" if params["mode"] == "append" else "w", encoding="utf-8") as file:
            file.write(params["content"])
        return {
            "success": True,
            "data": {"bytes": file_path.stat().st_size, "timeout": params["timeout"]},
            "file_path": str(file_path.relative_to(project)),
        }
    except OSError as error:
        return {"success": False, "error": str(error)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--params", required=True)
    parser.add_argument("--project-path", required=True)
    args = parser.parse_args()
    print(json.dumps(execute(json.loads(args.params), args.project_path)))
