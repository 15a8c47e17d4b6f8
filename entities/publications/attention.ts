// Posts whose publication cannot be proved.
import { type RevealItemFacts, revealItem } from '../../rules/publications/attention.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { socialRevealEffect } from './reveals.ts'

/** While reads look for the post, its publication is `publishing`. */
export const revealAttention = attendsEffect<RevealItemFacts>(socialRevealEffect, {
  joins: sql`
    join social_publications p on p.id = x.publication_id and p.tenant_id = x.tenant_id
    left join social_connections c on c.id = x.social_connection_id and c.tenant_id = x.tenant_id
  `,
  columns: sql`
    x.publication_id, x.type, x.social_connection_id as connection_id, c.name,
    left(p.content ->> 'caption', 200) as caption
  `,
  matters: sql`p.status = 'unknown'`,
  // What is recorded is about the newest call: once the publication is scheduled again, nothing of an earlier one is
  // corrected.
  only: sql`
    (
      x.resolution is null
      or p.resolution is not null
      and not exists (
        select 1
        from social_reveals o
        where o.publication_id = x.publication_id and o.tenant_id = x.tenant_id and o.n > x.n
      )
    )
  `,
  elsewhere: true,
  text: revealItem,
})
