// HPACKStaticTable: the 61 entries of RFC 7541 Appendix A.

/// The process has one instance. Each codec keeps a copy, which is a few pointers.
// The memory is written only by `init` and never released, so it is safe to share.
package struct HPACKStaticTable: @unchecked Sendable {
    package static let shared = HPACKStaticTable()
    /// The index of the last entry; the first is 1.
    package static var count: Int { 61 }
    private static var placeCount: Int { 256 }

    private let entries: UnsafeMutablePointer<HPACKEntry>
    /// The index of the first entry with a name, at the place that the name's hash selects or after it. 0 ends the
    /// search.
    private let places: UnsafeMutablePointer<UInt8>

    private init() {
        let text = Self.appendixA
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: text.utf8CodeUnitCount, alignment: 8)
        entries = .allocate(capacity: Self.count)
        places = .allocate(capacity: Self.placeCount)
        places.initialize(repeating: 0, count: Self.placeCount)

        let source = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        var written = 0
        var index: UInt8 = 0
        for line in source.split(separator: UInt8(ascii: "\n")).prefix(Self.count) {
            let name = line.prefix { $0 != UInt8(ascii: " ") }
            let value = line.dropFirst(name.count + 1)
            let field = bytes + written
            for byte in [name, value].joined() {
                bytes.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
                written += 1
            }
            let entry = HPACKEntry(field: field, nameLength: name.count, valueLength: value.count)
            (entries + Int(index)).initialize(to: entry)
            index += 1
            guard first(named: entry.name, hash: HPACKHash.hash(entry.name)) == 0 else { continue }
            var place = Self.place(HPACKHash.hash(entry.name))
            while places[place] != 0 { place = (place + 1) % Self.placeCount }
            places[place] = index
        }
    }

    @inline(__always)
    private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (placeCount &- 1) }

    /// - Parameter index: from 1 to ``count``.
    @inline(__always)
    func entry(_ index: Int) -> HPACKEntry { entries[index &- 1] }

    /// The index of the first entry with this name, or 0 if there is none. Entries with the same name follow each
    /// other.
    @inline(__always)
    func first(named name: UnsafeRawBufferPointer, hash: UInt64) -> Int {
        var place = Self.place(hash)
        while places[place] != 0 {
            let index = Int(places[place])
            if entry(index).hasName(name) { return index }
            place = (place &+ 1) & (Self.placeCount &- 1)
        }
        return 0
    }

    /// The index of the entry with this value, among those with the name of entry `first`; 0 if there is none.
    @inline(__always)
    func index(of value: UnsafeRawBufferPointer, from first: Int) -> Int {
        var index = first
        repeat {
            if entry(index).hasValue(value) { return index }
            index &+= 1
        } while index <= Self.count && entry(index).hasName(entry(first).name)
        return 0
    }

    /// One entry for each line: the name and, after a space, the value if there is one.
    private static var appendixA: StaticString {
        """
        :authority
        :method GET
        :method POST
        :path /
        :path /index.html
        :scheme http
        :scheme https
        :status 200
        :status 204
        :status 206
        :status 304
        :status 400
        :status 404
        :status 500
        accept-charset
        accept-encoding gzip, deflate
        accept-language
        accept-ranges
        accept
        access-control-allow-origin
        age
        allow
        authorization
        cache-control
        content-disposition
        content-encoding
        content-language
        content-length
        content-location
        content-range
        content-type
        cookie
        date
        etag
        expect
        expires
        from
        host
        if-match
        if-modified-since
        if-none-match
        if-range
        if-unmodified-since
        last-modified
        link
        location
        max-forwards
        proxy-authenticate
        proxy-authorization
        range
        referer
        refresh
        retry-after
        server
        set-cookie
        strict-transport-security
        transfer-encoding
        user-agent
        vary
        via
        www-authenticate
        """
    }
}
