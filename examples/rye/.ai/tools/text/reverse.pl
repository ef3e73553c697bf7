use strict;
use warnings;
use JSON::PP;

my $params = decode_json(do { local $/; <STDIN> });
print encode_json({ success => JSON::PP::true, output => scalar reverse $params->{text} }), "\n";
