// The states of a cart.
import { z } from 'zod'

export const CartStatus = z.enum(['open', 'ordered'])
