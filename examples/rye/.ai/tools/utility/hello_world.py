"""The older way: main() with named parameters. Its signature is the schema."""

__version__ = "1.0.1"
__tool_type__ = "python"
__executor_id__ = "python_runtime"
__category__ = "utility"
__tool_description__ = "Say hello to someone with a personal greeting"


def main(name: str = "World") -> str:
    message = f"Hello, {name}!"
    return message
