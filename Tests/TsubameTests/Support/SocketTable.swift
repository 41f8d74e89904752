// SocketTable: the TCP connections of this machine, as the system reports them. Only this file knows where.

#if os(Linux)
import Foundation

enum SocketTable {
    /// The number of client sockets that are connected to an IPv4 address and port, or connecting (proc_net_tcp(5)).
    /// The listener's sockets do not count.
    static func connections(to host: String, port: Int) throws -> Int {
        // ESTABLISHED and SYN_SENT.
        let states = ["01", "02"]
        let remote = Self.text(host, port)
        // Read piece by piece, because the system reports an empty file and gives a page at a time.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp"))
        var table = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { table += piece }
        try file.close()
        let local = String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line -> Substring? in
            let columns = line.split(separator: " ")
            guard columns.count > 3, columns[2] == remote, states.contains(String(columns[3])) else { return nil }
            return columns[1]
        }
        // A row may appear twice if the table changes while it is read.
        return Set(local).count
    }

    /// `0100007F:1F90`: the address as a number in the machine's byte order, little-endian.
    private static func text(_ host: String, _ port: Int) -> String {
        let bytes = host.split(separator: ".").compactMap { UInt8($0) }.reversed().map { Int($0) }
        func hexadecimal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: Swift.max(digits - text.count, 0)) + text
        }
        return bytes.map { hexadecimal($0, 2) }.joined() + ":" + hexadecimal(port, 4)
    }
}
#endif
