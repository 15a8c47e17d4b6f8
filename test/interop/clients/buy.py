# Buys something by card with the client that openapi-python-client made of the document. Operations are found by method and path, so that their names may change.
import importlib, inspect, json, os, pkgutil, re, sys, time, typing, urllib.request
from urllib.parse import quote
from uuid import UUID

sys.path.insert(0, sys.argv[1])
import tillwright_client
from tillwright_client import AuthenticatedClient, Client, api

env = os.environ


def template(spec):
    return re.sub(r"{\w+}", "{}", spec)


modules = {}
for _, name, is_package in pkgutil.walk_packages(api.__path__, api.__name__ + "."):
    module = importlib.import_module(name)  # every module of the client can be imported
    if is_package:
        continue
    source = inspect.getsource(module)
    method, url = re.search(r'"method": "(\w+)"', source), re.search(r'"url": "([^"]+)"', source)
    if method and url:
        modules[template(f"{method[1].upper()} {url[1]}")] = module


def call(spec, headers, *path, body=None, **query):
    module = modules[template(spec)]
    parameters = inspect.signature(module.sync_detailed).parameters
    hints = typing.get_type_hints(module.sync_detailed)
    names = [name for name, one in parameters.items() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD][: len(path)]
    values = [UUID(value) if hints[name] is UUID else value for name, value in zip(names, path)]
    if body is not None:
        kinds = [kind for kind in (typing.get_args(hints["body"]) or (hints["body"],)) if hasattr(kind, "from_dict") and kind.__name__ != "Unset"]
        query["body"] = kinds[0].from_dict(body)
    token = headers.get("authorization", "Bearer none").split()[1]
    secured = hints["client"] is AuthenticatedClient
    client = AuthenticatedClient(env["BASE"], token=token, headers=headers) if secured else Client(env["BASE"], headers=headers)
    answer = module.sync_detailed(*values, client=client, **query)
    if answer.status_code >= 300:
        raise SystemExit(f"{spec}: {answer.status_code} {answer.content[:500]!r}")
    if not hasattr(answer.parsed, "to_dict"):
        raise SystemExit(f"{spec}: the answer is not of the client's types")
    return answer.parsed.to_dict(), answer.headers


def fetch(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    return json.load(urllib.request.urlopen(urllib.request.Request(url, data, {"content-type": "application/json"}), timeout=30))


# An operator signs in with the code that was mailed.
asked, _ = call("POST /v1/auth/code", {}, body={"email": env["EMAIL"]})
mails = fetch(f"{env['MAIL']}/messages/wait?to={quote(env['EMAIL'])}&after={env['MAILS']}&timeout_ms=20000")
code = re.search(r"\b\d{6}\b", mails[0]["text"])[0]
session, _ = call("POST /v1/auth/verify", {}, body={"challenge_id": asked["challenge_id"], "code": code})
operator = {"authorization": f"Bearer {session['access_token']}"}

# A visitor lists the products, fills a cart and checks out.
key = {"X-Service-Publishable-Key": env["PUBLISHABLE_KEY"]}
listed, _ = call("GET /v1/storefront/products", key, limit=100)
assert any(item["id"] == env["PRODUCT_ID"] for item in listed["items"]), "the product is not listed"
cart, headers = call("POST /v1/storefront/carts/current", key)
visitor = key | {"X-Service-Visitor-Token": headers["X-Service-Visitor-Token"]}
items = [{"product_id": env["PRODUCT_ID"], "variant_id": env["VARIANT_ID"], "quantity": 2}]
call("PUT /v1/storefront/carts/{id}", visitor, cart["id"], body={"product_items": items})
how = {"payment_method_key": "credit_card", "return_url": "https://shop.example/thanks"}
done, _ = call("POST /v1/storefront/carts/{id}/checkout", visitor, cart["id"], body=how)

# The card is charged at the provider's page.
page = done["payment_action"]["client_secret"].split("_secret_")[0]
fetch(f"{env['SIMULATOR']}/_sim/checkout_sessions/{page}/pay", {"outcome": "succeeded"})
end = time.time() + 30
while (order := call("GET /v1/stores/{storeId}/orders/{id}", operator, env["STORE_ID"], done["order_id"])[0])["status"] != "confirmed":
    if time.time() > end:
        raise SystemExit(f"the order is {order['status']}")
    time.sleep(0.1)
print(json.dumps({"order_id": done["order_id"], "status": order["status"], "modules": len(modules)}))
