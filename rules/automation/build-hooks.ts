// The hosting services that a build hook may belong to.
import { z } from 'zod'

export const BuildHookType = z.enum(['host_a', 'host_b', 'host_c', 'custom'])
