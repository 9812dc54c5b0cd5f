-- Who asks for links, so that strangers cannot use up what a person may ask for.

-- The network that asked; null when it was a browser in which the person has signed in before.
alter table sign_in_links add asker text;

-- The browser in which somebody signed in, known by its cookie.
alter table sessions add browser_hash bytea;

-- The address a link was mailed to, in small letters: it is void when the person has another one.
alter table sign_in_links add sent_to text collate "C";

-- Who signs in is recorded before any org is known.
create policy signing_in_records on events for insert to waybill_app with check (app_signin());
