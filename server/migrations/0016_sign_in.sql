-- Who asks for links, so that strangers cannot use up what a person may ask for.

-- The network that asked; null when it was a browser in which the person has signed in before.
alter table sign_in_links add asker text;

-- The browser in which somebody signed in, known by its cookie.
alter table sessions add browser_hash bytea;
