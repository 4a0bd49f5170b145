-- A copied conversation is its owner's, and holds what was said in the first: erasure has to find it there too.
alter table conversation add column copy_of text;
