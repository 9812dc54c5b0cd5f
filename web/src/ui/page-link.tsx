// Links and buttons that lead to a page of ours. The router knows the addresses, so a wrong one does not compile.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type AnchorWithProps = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>
type ButtonWithProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** As large as the text around it. */
export const PageLink = createLink((props: AnchorWithProps) => <Anchor inherit {...props} />)

export const ButtonLink = createLink((props: ButtonWithProps) => <Button component="a" {...props} />)

/** Where what is on the page would be lost by leaving it. */
export const NewTabLink = createLink((props: AnchorWithProps) => (
  <Anchor inherit target="_blank" {...props} />
))
