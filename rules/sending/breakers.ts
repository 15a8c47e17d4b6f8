// When a campaign pauses itself: an operator looks at it and resumes it.

export type Reason = { code: string; message: string }

/** The first messages of a step that are rendered: if all of them fail, so will the others. */
export const RENDERED_FIRST = 20
/** Refusals of the mailbox's address in a row. */
export const SENDER_REFUSALS_MAX = 20
/**
 * `least`: messages that say enough. `share`: of those. Gmail's guidelines for senders: complaints stay under 0.3 %.
 */
export const bounceLimit = { least: 200, share: 0.05 }
export const complaintLimit = { least: 1_000, share: 0.003 }
/** Permanent refusals while sending, for any reason. */
export const refusalLimit = { least: 20, share: 0.9 }
/**
 * Messages whose first attempt was refused for the sender's reputation, a policy, or missing authentication of its
 * domain.
 */
export const distrustLimit = { least: 50, share: 0.2 }
/** Attempts in a row to sign in or greet at which a server names such a reason. */
export const DISTRUSTED_SESSIONS_MAX = 3

export const reasons = {
  rendering_failed: {
    code: 'rendering_failed',
    message: `The first ${RENDERED_FIRST} messages of a step could not be rendered.`,
  },
  sender_refused: {
    code: 'sender_refused',
    message: `The mail server refused the mailbox, or named its sending limit, ${SENDER_REFUSALS_MAX} times in a row.`,
  },
  sender_reputation: {
    code: 'sender_reputation',
    message:
      'Mail servers refuse the sender: its address or domain is on a block list, breaks a policy or is not authenticated.',
  },
  nearly_all_refused: {
    code: 'nearly_all_refused',
    message: 'Nearly all messages are refused. The errors of the messages say why.',
  },
  too_many_bounces: {
    code: 'too_many_bounces',
    message: 'More than 5 % of the messages were sent to addresses that do not exist.',
  },
  too_many_complaints: {
    code: 'too_many_complaints',
    message: 'More than 0.3 % of the messages were reported as spam.',
  },
  mailbox_refused: { code: 'mailbox_refused', message: 'The mail server refused the credentials of the mailbox.' },
  mailbox_unreachable: {
    code: 'mailbox_unreachable',
    message: 'The mail server of the mailbox could not be used for a day.',
  },
} as const satisfies Record<string, Reason>
