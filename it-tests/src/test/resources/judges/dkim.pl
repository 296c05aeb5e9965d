# Judges a message with Mail::DKIM: file, port of the name server. Mail::DMARC does not take a domain below test.
use strict;
use warnings;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;
use Net::DNS::Resolver;

my ($file, $port) = @ARGV;
my $resolver = Net::DNS::Resolver->new(nameservers => ['127.0.0.1'], port => $port, recurse => 0);
Mail::DKIM::DNS::resolver($resolver);
my $dkim = Mail::DKIM::Verifier->new();
open my $in, '<:raw', $file or die $!;
local $/;
$dkim->PRINT(<$in>);
$dkim->CLOSE;
my @signatures = $dkim->signatures;
print join(' ', 'dkim', map { $_->algorithm . '=' . $_->result } @signatures), "\n";
