// The tables of carts.
import { atOnce, deletedWith, type Tables } from '../kit/table.ts'
import { moveCarts } from './contact-moves.ts'

export const cartTables = {
  carts: {
    rows: deletedWith('contacts', 'ordered carts and open carts of named contacts stay'),
    contact: { contact_id: { by: moveCarts, counted: { as: 'carts' } } },
    erasure: atOnce,
  },
} satisfies Tables
