// What a person thinks of a record, or of another reaction: a mark, stars, a review or a comment. Marks are in four
// indexes, as thousands may come in a second.
import { defineEntity, p } from '@mikro-orm/core'
import { ReactionStatus, ReactionTarget } from '../../rules/community/reactions.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'

const index = (name: string, columns: string, where = '') => ({
  name: `reactions_${name}`,
  expression: `create index "reactions_${name}" on "reactions" (${columns})${where}`,
})

const schema = defineEntity({
  name: 'Reaction',
  tableName: 'reactions',
  properties: {
    ...tenantRow,
    /**
     * A contact, or an operator's account; null of content that its author deleted. No foreign key: a like must not
     * lock, and a contact that is gone leaves its marks.
     */
    author_id: p.uuid().nullable(),
    /** The author is an operator, who speaks for the business. */
    official: p.boolean().default(false),
    verified_purchase: p.boolean().default(false),
    target_type: p.enum(ReactionTarget.options),
    /** No foreign key: a thousand likes in a second would lock one row. What is left of a deleted target is swept. */
    target_id: p.uuid(),
    parent_id: p.uuid().nullable(),
    /** What is reacted to: the parent, or the target. */
    place_id: p.uuid(),
    /** From the root to the parent. */
    ancestors: p.array().columnType('uuid[]').defaultRaw("'{}'"),
    kind: p.string().length(32),
    /** A hash of target, place and kind. A check compares it, so that none of them can change. */
    subject: p.uuid(),
    /**
     * An author has one reaction with this slot at a place. Of comments it is made of their content. Null of what its
     * author deleted.
     */
    slot: p.string().length(32).nullable(),
    /** The counter that it is counted in. */
    shard: p.smallint(),
    has_content: p.boolean().default(false),
    blocks: p.json<Block[]>().default('[]'),
    taxonomies: p.json<TaxonomyEntry[]>().default('[]'),
    status: p.enum(ReactionStatus.options),
    /** Published replies with content. */
    reply_count: p.integer().default(0),
    edited_at: p.bigint('number').nullable(),
    moderated_at: p.bigint('number').nullable(),
    moderated_by: p.uuid().nullable(),
    note: p.text().nullable(),
    /** When its author deleted it: it stays, empty, because of its replies. */
    deleted_at: p.bigint('number').nullable(),
    search: searchColumn,
  },
  checks: [
    {
      name: 'reactions_subject',
      expression: `subject = md5(target_type || ' ' || target_id || ' ' || place_id || ' ' || kind)::uuid`,
    },
    {
      name: 'reactions_place',
      expression: 'place_id = coalesce(parent_id, target_id) and (parent_id is null) = (cardinality(ancestors) = 0)',
    },
    { name: 'reactions_depth', expression: 'cardinality(ancestors) <= case when has_content then 5 else 6 end' },
    {
      name: 'reactions_slot',
      expression: `
        kind ~ '^[a-z0-9_]{1,32}$'
        and (slot is null) = (author_id is null)
        and case
          when kind ~ '^star_[1-5]$' then slot = 'star'
          when has_content and kind <> 'review' then slot is null or slot ~ '^[.]'
          else slot is null or slot = kind
        end
      `,
    },
    { name: 'reactions_stars', expression: `slot is distinct from 'star' or parent_id is null` },
    { name: 'reactions_mark', expression: `has_content or blocks = '[]' and taxonomies = '[]' and search is null` },
    {
      name: 'reactions_deleted',
      expression: `
        deleted_at is null
        or has_content
        and author_id is null
        and slot is null
        and status = 'removed'
        and blocks = '[]'
        and search is null
      `,
    },
    { name: 'reactions_replies', expression: 'reply_count >= 0' },
  ],
  indexes: [
    {
      name: 'reactions_slots',
      expression: `
        create unique index "reactions_slots" on "reactions" ("tenant_id", "author_id", "place_id", "slot")
        where slot is not null
      `,
    },
    // What a list is filtered by stands behind what it is sorted by: the index answers without the table.
    index('targets', '"tenant_id", "target_id", "created_at", "id", "kind", "status", "parent_id"'),
    index('tenants', '"tenant_id", "created_at", "id", "kind", "status", "target_type"'),
    index(
      'contents',
      '"tenant_id", "target_id", "created_at", "id", "kind", "status", "parent_id"',
      ' where has_content',
    ),
    index('replies', '"tenant_id", "parent_id", "created_at", "id", "kind", "status"', ' where parent_id is not null'),
    index('states', '"tenant_id", "status", "created_at", "id"', ` where status <> 'published'`),
    index('changes', '"tenant_id", "target_id", "updated_at", "id"', ' where has_content'),
    index('discussed', '"tenant_id", "target_id", "reply_count", "id"', ' where has_content'),
    index('all_contents', '"tenant_id", "created_at", "id", "kind", "status"', ' where has_content'),
    index('all_changes', '"tenant_id", "updated_at", "id", "kind", "status"', ' where has_content'),
    index('all_discussed', '"tenant_id", "reply_count", "id"', ' where has_content'),
    index('removed', '"updated_at"', ` where status = 'removed' and author_id is not null`),
    {
      name: 'reactions_search',
      expression: 'create index "reactions_search" on "reactions" using gin ("search") where has_content',
    },
  ],
})
export class Reaction extends schema.class {}
schema.setClass(Reaction)
