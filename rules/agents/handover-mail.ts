// The e-mail that says that an agent has handed a chat over to people.
import { escaped, type MailParts, mailPage } from '../mail/mail-page.ts'

export type Handover = {
  /** The names of the business and of the agent, as mails show them. */
  business: string
  agent: string
  /** Address of the chat in the API. */
  chat: string
}

/** The visitor's words are not in it: anyone could have the installation mail them to the team. */
export function handoverMail({ business, agent, chat }: Handover): MailParts {
  const why = `The agent ${agent} of ${business} has handed a chat over. The visitor waits for a person.`
  const how = 'Read the chat, and answer it with a reply, here:'
  return {
    subject: `A visitor of ${business} waits for a person`,
    text: `${why}\n\n${how}\n\n${chat}\n`,
    html: mailPage(
      'A visitor waits for a person',
      `<p style="margin:0 0 16px">${escaped(why)}</p>
<p style="margin:0;color:#666;font-size:13px;overflow-wrap:anywhere">${how} ${escaped(chat)}</p>`,
    ),
  }
}
