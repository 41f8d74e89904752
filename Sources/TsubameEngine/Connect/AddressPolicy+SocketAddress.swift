// AddressPolicy+SocketAddress: whether a policy allows a socket address.

import NIOCore
import TsubameCore

extension AddressPolicy {
    func allows(_ address: SocketAddress) -> Bool {
        // A socket address without an IP address is a Unix-domain socket, which no policy is asked about.
        guard let text = address.ipAddress, let address = IPAddress(text) else { return true }
        return allows(address)
    }
}
