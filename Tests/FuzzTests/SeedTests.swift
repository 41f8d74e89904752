// SeedTests: each target keeps its promise on its seeds and on some changes to them. `make fuzz` searches for longer.

import Foundation
import FuzzTargets
import Testing

@Suite struct SeedTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Seeds")

    private static func seeds(_ target: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            FuzzTarget.file(folder.appending(path: name).path).map { (name, $0) }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            // An LCG with the constants of MMIX; its high bits are good enough to choose places.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static func changed(_ seed: [UInt8], _ other: [UInt8], _ generator: inout Generator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &generator)
            case 1 where at < bytes.count: bytes.remove(at: at)
            case 2:
                let from = Int.random(in: 0...other.count, using: &generator)
                bytes.insert(contentsOf: other[from...].prefix(Int.random(in: 0...16, using: &generator)), at: at)
            default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
            }
        }
        return bytes
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `a target keeps its promise on its seeds and on changes to them`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        if !target.isAvailable { try Test.cancel("\(target.needs ?? "") cannot be had for fuzz target \(name)") }
        let seeds = try Self.seeds(name)
        #expect(seeds.count > 1)
        var generator = Generator(state: 20_261_124)
        for (file, seed) in seeds {
            #expect(throws: Never.self, "\(file)") { try target.check(seed) }
            for _ in 0..<60 {
                let other = seeds.randomElement(using: &generator)?.bytes ?? []
                let bytes = Self.changed(seed, other, &generator)
                do {
                    try target.check(bytes)
                } catch {
                    Issue.record("\(file), changed to \(Data(bytes).base64EncodedString()): \(error)")
                    return
                }
            }
        }
    }

    @Test func `each folder of seeds belongs to a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
