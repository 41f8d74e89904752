// SystemBoot: tells one start of the machine from another.

package enum SystemBoot {
    /// An identifier that changes with every start of the machine; nil if the system has none.
    package static let id: String? = read()

    #if canImport(Darwin)
    private static func read() -> String? {
        var text = [UInt8](repeating: 0, count: 64)
        var count = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return nil }
        return identifier(text.prefix(count))
    }
    #else
    private static func read() -> String? {
        let descriptor = SystemCall.open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = text.withUnsafeMutableBytes { SystemCall.read(descriptor, into: $0) }
        return identifier(text.prefix(max(count, 0)))
    }
    #endif

    /// The text up to its end or its line break.
    private static func identifier(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
