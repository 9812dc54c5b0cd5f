// Links and buttons to pages of the app. The router checks the address at compile time.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type AnchorWithProps = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>
type ButtonWithProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** Inherits the size of the text around it. */
export const PageLink = createLink((props: AnchorWithProps) => <Anchor inherit {...props} />)

export const ButtonLink = createLink((props: ButtonWithProps) => <Button component="a" {...props} />)

/** For pages that would lose unsaved input. */
export const NewTabLink = createLink((props: AnchorWithProps) => (
  <Anchor inherit target="_blank" {...props} />
))
