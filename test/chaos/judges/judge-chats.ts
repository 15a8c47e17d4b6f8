// Chats: each accepted message is there once and has one outcome, no word of the agent follows a person's, and the
// tokens of the day are those of the calls.
import type { ChatRow, History } from '../history.ts'

type Row = ChatRow['messages'][number]

const isOf = ({ id, text }: ChatRow['said'][number], { role, message_id, content }: Row) =>
  role === 'user' && (id === null ? content === text : message_id === id)

/** A message that was answered is answered in the words that its caller was given. */
function told(chat: ChatRow, said: ChatRow['said'][number], row: Row): string[] {
  if (row.status === 'waiting' || row.status === 'processing') return [`is ${row.status}`]
  if (row.content !== said.text) return ['has another text']
  if (said.status !== null && said.response !== null) {
    const answer = chat.messages.find(({ role, turn_id }) => role === 'assistant' && turn_id === row.turn_id)
    if (answer?.content !== said.response)
      return [`was answered with “${said.response}”, and its chat says “${answer?.content}”`]
  }
  return []
}

export const lostWords = (h: History): string[] => [
  ...h.chats.flatMap((chat) =>
    chat.said.flatMap((said) => {
      const own = chat.messages.filter((row) => isOf(said, row))
      const name = `message ${said.id ?? said.text} of chat ${chat.id}`
      if (own.length !== 1) return [`${name} is there ${own.length} times`]
      return told(chat, said, own[0] as Row).map((what) => `${name} ${what}`)
    }),
  ),
  ...h.strays.map((id) => `chat ${id} was begun by no visitor of the round`),
]

/** One answer of a turn that has one, and none of another. */
export const answeredOtherwise = (h: History): string[] =>
  h.chats.flatMap(({ id, messages }) =>
    [...Map.groupBy(messages, ({ turn_id }) => turn_id)].flatMap(([turn, all]) => {
      if (turn === null) return []
      const answers = all.filter(({ role }) => role === 'assistant').length
      const expected = all[0]?.turn === 'answered' ? 1 : 0
      return answers === expected ? [] : [`turn ${turn} of chat ${id} is ${all[0]?.turn}, and has ${answers} answers`]
    }),
  )

export const talkedOver = (h: History): string[] =>
  h.chats.flatMap(({ id, messages, seen, takeover }) => {
    if (takeover === null) return []
    const at = messages.find(({ role }) => role === 'operator')?.seq
    const shown = seen?.indexOf(takeover) ?? -1
    return [
      ...(at === undefined ? [`the reply of an operator in chat ${id} is not there`] : []),
      ...messages
        .filter(({ role, seq }) => role === 'assistant' && seq > (at ?? 0))
        .map(({ content }) => `“${content}” was written in chat ${id} after a person`),
      ...(shown < 0 ? [] : (seen ?? []).slice(shown + 1)).map(
        (text) => `“${text}” was seen in chat ${id} after a person`,
      ),
    ]
  })

export function wrongTokens({ tokens }: History): string[] {
  if (!tokens) return []
  const { in_flight, reserved, used, unknown, used_by_calls, unknown_of_calls } = tokens
  return [
    ...(reserved === 0 && in_flight === 0
      ? []
      : [`${reserved} tokens are reserved and ${in_flight} calls are in flight, after all have ended`]),
    ...(used === used_by_calls ? [] : [`${used} tokens are used, and the calls used ${used_by_calls}`]),
    ...(unknown === unknown_of_calls
      ? []
      : [`${unknown} tokens are unknown, and those of unknown calls are ${unknown_of_calls}`]),
  ]
}
