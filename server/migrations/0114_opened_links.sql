-- min-compatible: 0100
-- Whoever opens a mailed link can read the person's mail: strangers must not use up the requests of that browser.

alter table sign_in_links
  -- The latest browser, other than the one that requested it, in which it was opened while it worked.
  add column opened_in bytea;
