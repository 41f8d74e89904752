// AddressPolicyTests: the addresses that a policy allows, in every spelling.

import Testing
import TsubameCore

@Suite struct AddressPolicyTests {
    @Test(arguments: [
        ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.128.0.1", true),
        ("10.0.0.1", false), ("127.0.0.1", false), ("127.255.255.255", false), ("169.254.169.254", false),
        ("172.16.0.1", false), ("172.31.255.255", false), ("192.168.1.1", false), ("100.64.0.1", false),
        ("0.0.0.0", false), ("255.255.255.255", false), ("224.0.0.1", false), ("192.0.2.1", false),
        ("198.18.0.1", false),
        ("2606:4700:4700::1111", true), ("2a00:1450:4001::1", true), ("::1", false), ("::", false), ("fe80::1", false),
        ("fc00::1", false), ("fd12::1", false), ("ff02::1", false), ("2001:db8::1", false),
        ("::ffff:127.0.0.1", false), ("::ffff:7f00:1", false), ("::ffff:8.8.8.8", true), ("::127.0.0.1", false),
        ("64:ff9b::7f00:1", false), ("64:ff9b::808:808", true), ("2002:7f00:1::", false), ("2002:808:808::1", true),
    ])
    func `BAD-INPUT 27: an address is public or not in every form`(_ text: String, _ isPublic: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressPolicy.publicOnly.allows(address) == isPublic)
        #expect(AddressPolicy.publicOnly.allows(host: text) == isPublic)
        #expect(AddressPolicy.any.allows(address) && AddressPolicy.any.allows(host: text))
        // A rule sees the form that is compared: never an IPv4 address inside an IPv6 address.
        let sees = AddressPolicy.only { $0.isPublic == isPublic && !$0.text.hasPrefix("::ffff:") }
        #expect(sees.allows(address))
    }

    @Test(arguments: [
        ("localhost", false), ("a.localhost", false), ("LOCALHOST.", false), ("a.example", true), ("10.0.0.1", false),
        ("8.8.8.8", true),
    ])
    func `a name that only a proxy can look up is allowed, and localhost is not`(_ host: String, _ isAllowed: Bool) {
        #expect(AddressPolicy.publicOnly.allows(host: Origin("http://\(host)")?.host ?? "") == isAllowed)
    }

    @Test func `two closures are two policies, and a constant is itself`() {
        let policy = AddressPolicy.only { _ in true }
        #expect(policy == policy && policy != .only { _ in true })
        #expect(
            AddressPolicy.any == .any && AddressPolicy.publicOnly == .publicOnly && AddressPolicy.any != .publicOnly)
        #expect(
            ["\(AddressPolicy.any)", "\(AddressPolicy.publicOnly)", "\(policy)"] == [
                "any", "public only", "by a closure",
            ])
    }
}
