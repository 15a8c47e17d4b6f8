# Verifies webhook deliveries with the Standard Webhooks and Svix libraries, as they came and changed. Reads {secret, deliveries} and prints what was wrong.
import json, sys

import standardwebhooks
import svix

given = json.load(sys.stdin)
libraries = {"standardwebhooks": standardwebhooks.Webhook(given["secret"]), "svix": svix.Webhook(given["secret"])}
names = ("webhook-id", "webhook-timestamp", "webhook-signature")
faults = []
checked = 0


def accepts(library, body, headers):
    try:
        library.verify(body, headers)
        return True
    except Exception as error:
        return False


for delivery in given["deliveries"]:
    body, headers = delivery["body"], {name: delivery["headers"][name] for name in names}
    other = dict(headers, **{"webhook-id": headers["webhook-id"] + "x"})
    late = dict(headers, **{"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)})
    unsigned = {name: value for name, value in headers.items() if name != "webhook-signature"}
    written_anew = json.dumps(json.loads(body), indent=1)
    cases = [
        ("as it came", body, headers, True),
        ("with another body", body + " ", headers, False),
        ("with its JSON written anew", written_anew, headers, False),
        ("with another id", body, other, False),
        ("with another time", body, late, False),
        ("without a signature", body, unsigned, False),
    ]
    for name, library in libraries.items():
        for what, sent, with_headers, expected in cases:
            checked += 1
            if accepts(library, sent, with_headers) != expected:
                faults.append(f"{name}: a delivery {what} is {'refused' if expected else 'accepted'}")

print(json.dumps({"checked": checked, "faults": faults}))
