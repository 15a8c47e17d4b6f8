// What is made at the network before a publication is shown, hidden and repeatable: files, containers, unpublished
// posts. Deleted when the publication has ended.
import { defineEntity, p } from '@mikro-orm/core'
import { partKinds, partStates } from '../../rules/publications/parts.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { SocialPublication } from './social-publication.ts'

const schema = defineEntity({
  name: 'SocialPart',
  tableName: 'social_parts',
  properties: {
    ...tenantRow,
    publication_id: () => p.manyToOne(SocialPublication).mapToPk().deleteRule('cascade').joinColumn('publication_id'),
    /** The run of the publication. */
    run: p.integer(),
    position: p.integer(),
    kind: p.enum(partKinds),
    media_id: p.uuid().nullable(),
    state: p.enum(partStates).default('new'),
    /** JSON of the network's ids and addresses, written before the next call: rules/publications/parts.ts. */
    ref: p.type(Encrypted).nullable(),
    /** Bytes that the network has. */
    bytes: p.bigint('number').default(0),
    /** It may be shown although the network still processes it. */
    usable: p.boolean().default(false),
    /** Calls since the last progress. */
    tries: p.integer().default(0),
    /** The worker that makes it. */
    lease: p.string().nullable(),
    lease_until: p.datetime(3).nullable(),
    /** No call before this. */
    look_at: p.datetime(3).nullable(),
    /** The network forgets it then. */
    expires_at: p.datetime(3).nullable(),
    error: p.json<PublicationError>().nullable(),
  },
  uniques: [{ properties: ['publication_id', 'run', 'position'] }],
})
export class SocialPart extends schema.class {}
schema.setClass(SocialPart)
