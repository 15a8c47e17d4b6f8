// The look of all pages. Colours are in theme.css: Mantine would write them into a style element, which the policy
// refuses.
import { createTheme, Drawer, Modal, Popover, Tooltip } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  respectReducedMotion: true,
  components: {
    // Locking the scroll of the page writes a style element.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: false, yOffset: '8vh' } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 300, withArrow: true, events: { hover: true, focus: true, touch: true } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md' } }),
  },
})
