// StoredHead+Text: the text form of a stored head, for storages.

import HTTPTypes
import TsubameCore

extension StoredHead {
    /// The fields, one on each line. A line before them that begins with a colon names another version than HTTP/1.1.
    package var fieldText: String {
        (version == .http11 ? "" : ":\(version)\n")
            + fields.map { "\($0.name.rawName):\($0.value)\n" }.joined()
    }

    /// The selecting fields, sorted by name, so that equal fields give equal texts.
    package var selectingText: String {
        selecting.sorted { $0.key < $1.key }.map { name, value in value.map { "\(name):\($0)\n" } ?? "\(name)\n" }
            .joined()
    }

    /// nil if the texts are not those of a head.
    package init?(
        status: Int, fieldText: String, selectingText: String, requestTime: Double, responseTime: Double
    ) {
        var fields = HTTPFields()
        var lines = fieldText.utf8.split(separator: 0x0A)[...]
        var version = HTTPVersion.http11
        if let first = lines.first, first.first == 0x3A {
            let named = HTTPVersion.allCases.first { $0.description.utf8.elementsEqual(first.dropFirst()) }
            guard let named else { return nil }
            version = named
            lines.removeFirst()
        }
        for line in lines {
            guard let colon = line.firstIndex(of: 0x3A),
                let name = String(line[..<colon]).flatMap({ HTTPField.Name($0) }),
                let value = String(line[line.index(after: colon)...])
            else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        var selecting: [String: String?] = [:]
        for line in selectingText.utf8.split(separator: 0x0A) {
            let colon = line.firstIndex(of: 0x3A)
            guard let name = String(line[..<(colon ?? line.endIndex)]) else { return nil }
            selecting.updateValue(colon.flatMap { String(line[line.index(after: $0)...]) }, forKey: name)
        }
        self.init(
            status: status, version: version, fields: fields, selecting: selecting, requestTime: requestTime,
            responseTime: responseTime)
    }
}
