# Judges a message with Mail::DKIM and Mail::DMARC: file, address, domain in From, domain of MAIL FROM with its SPF
# result, file of public suffixes, port of the name server.
use strict;
use warnings;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;
use Mail::DMARC::PurePerl;
use Net::DNS::Resolver;

my ($file, $address, $from, $sender, $spf, $suffixes, $port) = @ARGV;
my $resolver = Net::DNS::Resolver->new(nameservers => ['127.0.0.1'], port => $port, recurse => 0);
Mail::DKIM::DNS::resolver($resolver);
my $dkim = Mail::DKIM::Verifier->new();
open my $in, '<:raw', $file or die $!;
local $/;
$dkim->PRINT(<$in>);
$dkim->CLOSE;
my @signatures = $dkim->signatures;
print join(' ', 'dkim', map { $_->algorithm . '=' . $_->result } @signatures), "\n";
$/ = "\n";
my $dmarc = Mail::DMARC::PurePerl->new;
$dmarc->config->{dns}{public_suffix_list} = $suffixes;
$dmarc->set_resolver($resolver);
$dmarc->source_ip($address);
$dmarc->header_from($from);
$dmarc->envelope_from($sender);
$dmarc->spf([{ scope => 'mfrom', domain => $sender, result => $spf }]);
$dmarc->dkim($dkim);
my $result = $dmarc->validate;
print 'dmarc ', $result->result, ' spf=', $result->spf, ' dkim=', $result->dkim, "\n";
