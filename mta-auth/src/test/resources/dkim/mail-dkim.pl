# Verifies or signs the messages of a folder with Debian's libmail-dkim-perl, which knows RSA only.
#
# mail-dkim.pl verify FOLDER: prints "FILE NUMBER pass|fail|…" for each signature of each *.eml, with the keys in FOLDER/zone.
# mail-dkim.pl sign FOLDER: writes each *.eml with a signature on top as *.signed; the canonicalization is in its name.
use strict;
use warnings;
use Mail::DKIM::DNS;
use Mail::DKIM::Signer;
use Mail::DKIM::Verifier;

my ($mode, $folder) = @ARGV;
my %zone = map { chomp; split /\t/, $_, 2 } split /^/, content("$folder/zone");

package Record {
    sub type { 'TXT' }
    sub txtdata { ${ $_[0] } }
    sub char_str_list { ${ $_[0] } }
}

{
    no warnings 'redefine';
    *Mail::DKIM::DNS::query = sub {
        my $text = $zone{ $_[0] };
        return () unless defined $text;
        return bless \$text, 'Record';
    };
}

for my $path (sort glob "$folder/*.eml") {
    my ($name) = $path =~ m{([^/]*)\.eml$};
    my $message = content($path);
    if ($mode eq 'verify') {
        my $verifier = Mail::DKIM::Verifier->new;
        $verifier->PRINT($message);
        $verifier->CLOSE;
        my $number = 0;
        print "$name ", $number++, ' ', $_->result, ' ', $_->result_detail, "\n" for $verifier->signatures;
    } else {
        my ($header, $body) = $name =~ /-(\w+)-(\w+)$/;
        my $signer = Mail::DKIM::Signer->new(Algorithm => 'rsa-sha256', Method => "$header/$body", Domain => 'example.org',
            Selector => 'r', KeyFile => "$folder/rsa.key");
        $signer->PRINT($message);
        $signer->CLOSE;
        open my $out, '>:raw', $path =~ s/eml$/signed/r or die;
        print $out $signer->signature->as_string, "\r\n", $message;
        close $out;
    }
}

sub content {
    open my $in, '<:raw', $_[0] or die "$_[0]: $!";
    local $/;
    return scalar <$in>;
}
