"""Started inside the container by the tool deployment/container."""

import json
import sys

print(json.dumps({"success": True, "output": f"ran for {sys.argv[1]}"}))
