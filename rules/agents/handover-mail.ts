// The e-mail that says that an agent has handed a chat over to people.
import { escaped, type MailParts, mailPage, oneLine } from '../mail/mail-page.ts'

export type Handover = {
  business: string
  agent: string
  /** The visitor's last message. */
  message: string
  /** Address of the chat in the API. */
  chat: string
}

const messageMax = 1_000

/** Names and message are what others wrote: they are shown as text. */
export function handoverMail({ business, agent, message, chat }: Handover): MailParts {
  const [from, name] = [oneLine(business), oneLine(agent)]
  const said = [...message].slice(0, messageMax).join('')
  const why = `The agent ${name} of ${from} has handed a chat over. The visitor waits for a person, and wrote last:`
  const how = 'Read the chat, and answer it with a reply, here:'
  return {
    subject: `A visitor of ${from} waits for a person`,
    text: `${why}\n\n${said}\n\n${how}\n\n${chat}\n`,
    html: mailPage(
      'A visitor waits for a person',
      `<p style="margin:0 0 16px">${escaped(why)}</p>
<p style="margin:0 0 16px;padding:12px;background:#f4f4f2;white-space:pre-wrap;overflow-wrap:anywhere">${escaped(said)}</p>
<p style="margin:0;color:#666;font-size:13px;overflow-wrap:anywhere">${how} ${escaped(chat)}</p>`,
    ),
  }
}
