// What a turn of a model may belong to. The engine of turns (entities/models) knows none of them.
import { lockChatTurn } from './agents/chat-turns.ts'
import type { LockOwner } from './models/turn-owner.ts'
import { lockResearchTurn } from './research/research-turns.ts'

/** The owners of turns, the most frequent first. */
export const turnOwners: readonly LockOwner[] = [lockChatTurn, lockResearchTurn]
