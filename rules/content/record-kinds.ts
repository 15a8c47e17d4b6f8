// The kinds of records that have blocks, and those that blocks refer to.
import { z } from 'zod'

/** Has blocks and taxonomies. */
export const OwnerKind = z.enum(['collection', 'entry', 'product', 'service', 'provider'])
export type OwnerKind = z.infer<typeof OwnerKind>

/** Has taxonomies. */
export const FiledKind = z.enum([...OwnerKind.options, 'contact', 'reaction'])
export type FiledKind = z.infer<typeof FiledKind>

/** May be the target of a reference in a block. */
export const TargetKind = z.enum(['media', 'entry', 'product'])
export type TargetKind = z.infer<typeof TargetKind>
