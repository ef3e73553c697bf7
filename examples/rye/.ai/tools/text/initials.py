import json
import sys

if __name__ == "__main__":
    params = json.load(sys.stdin)
    letters = [word[0].upper() for word in params["name"].split()][: params["most"]]
    print(json.dumps({"success": True, "output": "".join(letters)}))
