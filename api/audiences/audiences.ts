// Audiences of a store. One begins as a draft, and is archived for good.

import { z } from 'zod'
import type { EmailSource } from '../../adapters/mail-renderer.ts'
import { Audience } from '../../entities/audiences/audience.ts'
import { createAudience, shownAudience, updateAudience } from '../../entities/audiences/audiences.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { AudienceStatus, AudienceType, EnrollmentType } from '../../rules/audiences/audiences.ts'
import { AudienceOut } from '../../rules/audiences/resources.ts'
import { Key } from '../../rules/input/identities.ts'
import { ComparedText, spellingsOf } from '../../rules/input/texts.ts'
import { anyCase } from '../../rules/shapes.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { confirmationFailure } from './confirmation.ts'

type Row = Parameters<typeof shownAudience>[0]

/** Name of a record for people. */
export const Name = ComparedText.trim()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'Expected one line of text.')

export const audiences = [
  listing('GET /v1/stores/{storeId}/audiences', {
    may: 'admin',
    summary: 'List the audiences',
    entity: Audience,
    unmanaged: true,
    item: AudienceOut,
    search: 'search',
    filters: {
      ...byIds,
      key: filter(Key.describe('Only the audience with exactly this key.'), (key) => ({
        key: { $in: spellingsOf(key) },
      })),
      status: filter(anyCase(AudienceStatus), (status) => ({ status })),
      type: filter(anyCase(EnrollmentType).describe('Only audiences that are joined this way.'), (type) => ({ type })),
    },
    load: async (_, rows: Row[]) => rows.map(shownAudience),
  }),
  reading('GET /v1/stores/{storeId}/audiences/{id}', {
    may: 'admin',
    summary: 'Read an audience',
    entity: Audience,
    out: AudienceOut,
    show: (row) => shownAudience(asRow(row)),
  }),
  route('POST /v1/stores/{storeId}/audiences', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create an audience',
    description:
      'The audience is a draft; activate it with an update. 409 `key_taken` if another audience has the key. 422 `template_unknown`, `mailbox_unknown`.',
    body: z.object({
      key: Key.describe('Key of the audience, unique in the {store}, of 1 to 255 printable characters.'),
      name: Name.optional().describe('Name of the audience for people; its key by default.'),
      type: AudienceType.describe('How contacts join.'),
    }),
    out: AudienceOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) =>
      shownAudience(await createAudience(em, tenant_id, { ...body, name: body.name ?? body.key }, now)),
  }),
  route('PUT /v1/stores/{storeId}/audiences/{id}', {
    may: 'admin',
    refuses: [
      'audience_archived',
      'audience_not_draft',
      'audience_not_ready',
      'audience_type_fixed',
      'key_taken',
      'too_many_requests',
    ],
    summary: 'Update, activate or archive an audience',
    description:
      'Fields that are left out are kept; `type` is replaced as a whole. 409 `audience_not_ready` lists every reason in `errors`: a `confirmation` audience needs an active e-mail ' +
      'template of the type `subscription_confirmation` that can be rendered with the variables of a confirmation, and a `confirmation_url`, a `paid` one an active tier with an active price that is ready. 409 `audience_type_fixed` for another ' +
      '`type.type` once the audience is active or has a member or a tier. 409 `audience_archived`, `audience_not_draft`: an archived audience stays archived, and an active one cannot be a draft again.',
    body: z.object({
      key: Key.optional().describe('Key of the audience, unique in the {store}. Left out, it is kept.'),
      name: Name.optional().describe('Name of the audience for people. Left out, it is kept.'),
      type: AudienceType.optional().describe('How contacts join. Replaces the stored settings of the type.'),
      status: anyCase(AudienceStatus).optional().describe('`active` opens a draft for members; `archived` is final.'),
    }),
    out: AudienceOut,
    async run({ em, tenant_id, path, body, now }) {
      const failureOf = (template: EmailSource) => confirmationFailure(em, template, tenant_id)
      return shownAudience(asRow(await updateAudience(em, path.id, body, failureOf, now)))
    },
  }),
]
