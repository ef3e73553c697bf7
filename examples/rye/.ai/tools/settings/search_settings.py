"""CONFIG_RESOLVE merges the files of all tiers: what ships, the user's, the project's."""

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "settings"
__tool_description__ = "Show the search settings as a tool gets them"
__requires__ = []

CONFIG_SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
CONFIG_RESOLVE = {"path": "web/websearch.yaml", "mode": "deep_merge"}


def execute(params: dict, project_path: str) -> dict:
    return {"success": True, "data": params["resolved_config"]}
