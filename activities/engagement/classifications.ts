// Asks a model about comments, each call once. The key is read when it is sent, and is frozen nowhere.
import { config } from '../../config.ts'
import { type FrozenClassification, socialClassificationEffect } from '../../entities/engagement/classification.ts'
import { once } from '../kit/once.ts'
import { askModel, integrationChanged, withModelKey } from '../models/model-calls.ts'

export const sendSocialClassification = once({
  row: socialClassificationEffect,
  // The request is frozen when the row is written.
  prepare: async (): Promise<FrozenClassification> => {
    throw integrationChanged()
  },
  unlock: withModelKey<FrozenClassification>,
  async send(post, sending) {
    const verdict = await askModel(post, sending)
    if (verdict.kind !== 'rejected') return verdict
    // Nothing asks again by itself: the operator may repeat the request.
    const { columns: _, ...refused } = verdict
    return refused
  },
})

/** How long a call may take, which the workflow's timeouts follow. */
export const modelLimitMs = async (): Promise<number> => config.modelLimitMs
