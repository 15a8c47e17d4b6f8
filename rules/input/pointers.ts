// Where a fault is: a JSON pointer (RFC 6901) into what was sent.

/** `/nodes/a~1b/url` */
export const pointerOf = (path: readonly PropertyKey[]): string => path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
