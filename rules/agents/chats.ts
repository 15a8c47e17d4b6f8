// Agents, chats, messages and turns: their states and limits, and the part of a chat that a model reads.
import { z } from 'zod'
import { cut } from '../excerpts.ts'

export const AgentStatus = z.enum(['active', 'disabled'])
export type AgentStatus = z.infer<typeof AgentStatus>
export const ChatStatus = z.enum(['active', 'resolved', 'archived'])
export type ChatStatus = z.infer<typeof ChatStatus>
/** Who answers: the agent, or people. */
export const ChatMode = z.enum(['agent', 'human'])
export type ChatMode = z.infer<typeof ChatMode>
export const MessageRole = z.enum(['user', 'assistant', 'operator'])
export type MessageRole = z.infer<typeof MessageRole>
/** The status of a user's message. `held`: people answer the chat. */
export const MessageStatus = z.enum(['waiting', 'processing', 'answered', 'failed', 'unknown', 'held'])
export type MessageStatus = z.infer<typeof MessageStatus>
export const TurnOwner = z.enum(['chat', 'research'])

/** The window of the limits of a visitor's messages. */
export const CHAT_WINDOW_S = 600
export const PROMPT_MAX = 32_000
export const MESSAGE_MAX = 8_000
/** Characters of earlier messages that a model reads. */
const historyChars = 24_000
/** The agent of the row that counts the calls of a whole tenant, beside those of its agents. */
export const ALL_AGENTS = '00000000-0000-0000-0000-000000000000'

/** The first characters of a message, for the list of chats. */
export const excerpt = (content: string): string => cut(content.replace(/\s+/g, ' ').trim(), 200)

export type Said = { role: MessageRole; content: string }

/**
 * The earlier messages that a model reads, oldest first: whole messages, the newest ones, within both limits.
 * `newestFirst`: those before the messages to answer.
 */
export function historyOf<S extends Said>(newestFirst: readonly S[], most: number, chars = historyChars): S[] {
  const history: S[] = []
  let charsLeft = chars
  for (const said of newestFirst.slice(0, most)) {
    charsLeft -= said.content.length
    if (charsLeft < 0) break
    history.unshift(said)
  }
  return history
}

/** The day of a time in UTC, `YYYY-MM-DD`. `now` in Unix seconds. */
export const dayOf = (now: number): string => new Date(now * 1000).toISOString().slice(0, 10)

/** Seconds until the next day begins in UTC. */
export const secondsLeftOfDay = (now: number): number => 86_400 - (now % 86_400)
