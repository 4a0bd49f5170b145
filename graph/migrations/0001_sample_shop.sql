-- Sample data of the worked example (graph/tools.py). A fork with systems of its own drops these two tables.
create table shop_account (
    tenant   text    not null,
    customer text    not null,
    tier     text    not null default 'silver',
    address  text    not null default '14 Mill Lane, Bristol',
    version  integer not null default 1,
    primary key (tenant, customer)
);
create table shop_order (
    tenant     text    not null,
    customer   text    not null,
    order_id   text    not null,
    ordered_on date    not null,
    item       text    not null,
    status     text    not null,
    price      numeric not null,
    carrier    text    not null,
    note       text    not null,
    primary key (tenant, customer, order_id)
);
-- Every customer sees the sample orders: a few that are easy to talk about, and many, so that a search can return a lot.
insert into shop_order values
    ('sample', 'sample', 'A-10442', '2026-11-21', 'hiking boots, size 42', 'delivered', 129.00, 'Parcel Post', 'left with neighbour'),
    ('sample', 'sample', 'A-10467', '2026-11-26', 'rain jacket, size M', 'shipped', 89.50, 'Parcel Post', 'arrives in two days');
insert into shop_order
select 'sample', 'sample', 'B-' || (20000 + n), date '2026-10-01' - n, (array['wool socks', 'trail map', 'water bottle',
    'tent pegs', 'head torch', 'camp stove'])[1 + n % 6] || ', batch ' || n, 'delivered', 5 + n % 40, 'Parcel Post',
    repeat('Packed by hand and checked twice. ', 3)
from generate_series(1, 400) as n;
