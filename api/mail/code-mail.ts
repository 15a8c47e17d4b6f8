// The e-mail with a sign-in code. The code comes first, and no other text in it could be taken for one.
import { escaped, type MailParts, mailPage } from '../../rules/mail/mail-page.ts'

/** `name`: of what the reader signs in to, as mails show it. */
export function codeMail(code: string, name: string, minutes: number): MailParts {
  const validity = `It is valid for ${minutes} minutes and for one sign-in.`
  const ignore =
    'If you did not request it, you can ignore this e-mail: another person may have mistyped their address. Do not share the code with anyone.'
  return {
    subject: `${code} is your code for ${name}`,
    text: `${code}\n\nThis is your code to sign in to ${name}. ${validity}\n\n${ignore}\n`,
    html: mailPage(
      `Sign in to ${name}`,
      `<p style="margin:0 0 16px">Your code to sign in to <strong>${escaped(name)}</strong>:</p>
<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${code}</p>
<p style="margin:0 0 16px">${validity}</p>
<p style="margin:0;color:#666;font-size:13px">${ignore}</p>`,
    ),
  }
}
