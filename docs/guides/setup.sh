# The README and the guides source this file. It reads what `npm start` wrote, and sets
#   API STRIPE MAIL SOCIAL BOTS MODELS RECEIVER LEDGER   the addresses of the API, the Stripe simulator, the mail catcher, the social networks, the chat service,
#                                     the models, the receiver, and the list of what the receiver got
#   AGENT_AT                          the address of the demo business's agent
#   STORE                             the id of the demo store
#   OPERATOR SHOP JSON                three headers: the operator's API token, the store's publishable key, the content type
eval "$(node -p '
  const stack = JSON.parse(fs.readFileSync(`${process.env.DEV_DIR || ".dev"}/stack.json`, "utf8"))
  const names = { API: "api", STRIPE: "stripe", MAIL: "mail", SOCIAL: "social", BOTS: "chat_bot", MODELS: "models", RECEIVER: "receiver", LEDGER: "receiver_ledger", STORE: "store_id" }
  Object.entries(names).map(([name, key]) => `${name}=${stack[key]}\n`).join("") +
    `AGENT_AT=${stack.api}/v1/businesses/${stack.business_id}/agents/${stack.agent_id}\nOPERATOR="Authorization: Bearer ${stack.api_token}"\nSHOP="X-Service-Publishable-Key: ${stack.publishable_key}"`')"
JSON='Content-Type: application/json'

# json EXPRESSION: reads a JSON document from standard input and prints a value of it. The members of the document are in scope; `it` is the document itself.
#   … | json 'items[0].id'      … | json '{ status, total: money.total }'
# Without a value, and for null and false, it prints the document to standard error and fails.
json() {
  node -e '
    const text = fs.readFileSync(0, "utf8")
    let value
    try { value = new Function("it", `with (it) return (${process.argv[1]})`)(JSON.parse(text)) } catch {}
    const missing = value === undefined || value === null || value === false
    if (missing) console.error(`No value for ${process.argv[1]} in: ${text}`)
    else console.log(typeof value === "string" ? value : JSON.stringify(value))
    process.exitCode = missing ? 1 : 0' "$1"
}
