// AddressPolicy+SocketAddress: whether a policy allows a socket address.

import TsubameCore
import TsubameSockets

extension AddressPolicy {
    func allows(_ address: SocketAddress) -> Bool {
        // No policy is asked about a Unix-domain socket.
        guard !allowsAll, let address = IPAddress(bytes: address.ipBytes) else { return true }
        return allows(address)
    }
}
