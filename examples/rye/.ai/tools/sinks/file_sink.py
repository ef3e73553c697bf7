"""A class that other code uses. It is listed as a runtime and cannot be called."""

import json
from pathlib import Path

__tool_type__ = "runtime"
__version__ = "1.0.0"
__executor_id__ = "python"
__category__ = "sinks"
__tool_description__ = "Append streaming events to a file as JSON lines or plain text"


class FileSink:
    def __init__(self, path: str, format: str = "jsonl", flush_every: int = 10):
        self.path = Path(path)
        self.format = format
        self.flush_every = flush_every
        self.event_count = 0

    async def write(self, event: str) -> None:
        if self.format == "jsonl":
            try:
                event = json.dumps(json.loads(event))
            except json.JSONDecodeError:
                pass
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(event + "\n")
        self.event_count += 1
