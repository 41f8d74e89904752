// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Where the engine's sockets work: not on watchOS.
let enginePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS, .linux, .android]

/// Only Xcode reads privacy manifests. A resource would make SwiftPM link Foundation on other systems.
#if os(macOS)
let privacy: (resources: [Resource], others: [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#else
let privacy: (resources: [Resource], others: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "Tsubame",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Tsubame", targets: ["Tsubame"]),
        .library(name: "TsubameFoundation", targets: ["TsubameFoundation"]),
        .library(name: "TsubameURLSession", targets: ["TsubameURLSession"]),
        .library(name: "TsubameXML", targets: ["TsubameXML"]),
        .library(name: "TsubameStore", targets: ["TsubameStore"]),
        .library(name: "TsubameTesting", targets: ["TsubameTesting"]),
        .library(name: "TsubameInspector", targets: ["TsubameInspector"]),
        .library(name: "HTTPBin", targets: ["HTTPBin"]),
        .executable(name: "tsubame", targets: ["TsubameCLI"]),
        .executable(name: "tsubame-demo", targets: ["TsubameDemo"]),
    ],
    traits: [
        .trait(
            name: "Engine",
            description: "The built-in transport, on SwiftNIO's TLS. Without it a client needs Client(transport:)"),
        .trait(name: "XML", description: "Response.xml and RequestBody.xml, on XMLCoder"),
        .trait(name: "Store", description: "Cookies kept in SQLite, on GRDB; needs SQLite's header and library"),
        .trait(name: "Server", description: "The embedded httpbin-compatible server, on Hummingbird"),
        .trait(name: "Inspector", description: "A page in the browser that shows calls live, on Hummingbird"),
        .trait(
            name: "TestServer", description: "ScriptedServer and the contract of transports; enables Server",
            enabledTraits: ["Server"]),
        .default(enabledTraits: ["Engine"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // The headers of Linux's readiness calls, which Swift's own module of the C library leaves out.
        .systemLibrary(name: "CEpoll"),
        .target(
            name: "TsubamePlatform", exclude: privacy.others, resources: privacy.resources, swiftSettings: settings),
        .target(
            name: "TsubameSockets",
            dependencies: [
                "TsubamePlatform", .target(name: "CEpoll", condition: .when(platforms: [.linux, .android])),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameCore",
            dependencies: ["TsubamePlatform", .product(name: "HTTPTypes", package: "swift-http-types")],
            // For `Bytes.span`.
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "TsubameWire",
            dependencies: [
                "TsubamePlatform", "TsubameCore", "CZlib", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameEngine",
            dependencies: [
                "TsubamePlatform", "TsubameCore", "TsubameWire", "TsubameSockets",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Engine"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Engine"])),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio", condition: .when(traits: ["Engine"])),
                .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["Engine"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Engine"])),
                .product(name: "DequeModule", package: "swift-collections", condition: .when(traits: ["Engine"])),
            ],
            swiftSettings: settings),
        .target(
            name: "Tsubame",
            dependencies: [
                "TsubamePlatform", "TsubameCore", "TsubameWire", "TsubameSockets",
                .target(name: "TsubameEngine", condition: .when(platforms: enginePlatforms, traits: ["Engine"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings + [.define("ENGINE", .when(platforms: enginePlatforms, traits: ["Engine"]))]),
        .target(name: "TsubameFoundation", dependencies: ["Tsubame", "TsubameCore"], swiftSettings: settings),
        .target(
            name: "TsubameURLSession",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore", "TsubameWire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameXML",
            dependencies: [
                "Tsubame", "TsubameCore",
                .product(name: "XMLCoder", package: "XMLCoder", condition: .when(traits: ["XML"])),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameStore",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore", "TsubameWire",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Store"])),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameTesting",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore",
                .target(name: "HTTPBin", condition: .when(traits: ["TestServer"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["TestServer"])),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["TestServer"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["TestServer"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["TestServer"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TestServer"])),
            ],
            swiftSettings: settings),
        .target(
            name: "TsubameInspector",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Inspector"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Inspector"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Inspector"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Inspector"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Inspector"])),
            ],
            resources: [.embedInCode("Page")],
            swiftSettings: settings),
        .target(
            name: "HTTPBin",
            dependencies: [
                .target(name: "CZlib", condition: .when(traits: ["Server"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras", condition: .when(traits: ["Server"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Server"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Server"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["Server"])),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["Server"])),
            ],
            exclude: privacy.others, resources: privacy.resources, swiftSettings: settings),
        .target(name: "TsubameTerminal", dependencies: ["CZlib"], swiftSettings: settings),
        .target(
            name: "TsubameRequestFiles",
            dependencies: [
                "TsubamePlatform", "TsubameCore", "TsubameWire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "TsubameCLI",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameTerminal", "TsubameRequestFiles", "TsubameInspector", "HTTPBin",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "TsubameDemo",
            dependencies: [
                "Tsubame", "TsubameFoundation", "TsubameXML", "TsubameInspector", "HTTPBin", "KeyValueAPI",
            ],
            swiftSettings: settings),

        // One example for each of the hand-written layers that this library replaces.
        .target(name: "KeyValueAPI", dependencies: ["Tsubame"], path: "Examples/KeyValueAPI", swiftSettings: settings),
        .example("RequestParam", ["KeyValueAPI"]),
        .example("HttpClient"),
        .example("URLLoader", ["TsubameFoundation", "TsubameXML"]),
        .example("MixiAsyncURLConnection"),
        .example("APIConnector"),
        // The model of an app, and a program in a terminal that shows it.
        .target(name: "PhotosModel", dependencies: ["Tsubame"], path: "Examples/PhotosModel", swiftSettings: settings),
        .example("Photos", ["PhotosModel", "TsubameTesting"]),

        .testTarget(
            name: "TsubameInspectorTests",
            dependencies: ["Tsubame", "TsubameCore", "TsubameInspector", "TsubameTesting"],
            swiftSettings: settings),
        .testTarget(name: "TsubamePlatformTests", dependencies: ["TsubamePlatform"], swiftSettings: settings),
        .testTarget(
            name: "TsubameSocketsTests", dependencies: ["TsubameSockets", "TsubamePlatform"], swiftSettings: settings),
        .testTarget(
            name: "TsubameCoreTests",
            dependencies: [
                "TsubamePlatform", "TsubameCore", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TsubameWireTests",
            dependencies: [
                "TsubamePlatform", "TsubameCore", "TsubameWire",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TsubameTests",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore", "TsubameWire", "TsubameSockets", "TsubameEngine",
                "TsubameTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TsubameTestingTests",
            dependencies: [
                "TsubameTesting", "TsubameCore", "Tsubame",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        // A transport as another package would write one: it sees only what is public.
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Tsubame", "TsubameTesting", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            packageAccess: false,
            swiftSettings: settings),
        .testTarget(
            name: "TsubameURLSessionTests",
            dependencies: [
                "Tsubame", "TsubameCore", "TsubameURLSession", "TsubameTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPBinTests",
            dependencies: [
                "HTTPBin", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Server"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TsubameTerminalTests", dependencies: ["TsubameTerminal", "CZlib"], swiftSettings: settings),
        .testTarget(
            name: "TsubameRequestFilesTests",
            dependencies: [
                "TsubameRequestFiles", "TsubameCore", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        // Fills a store from a process of its own, to be killed.
        .executableTarget(
            name: "StoreWriter", dependencies: ["TsubameStore", "Tsubame"], path: "Tests/StoreWriter",
            swiftSettings: settings),
        .testTarget(
            name: "TsubameStoreTests",
            dependencies: [
                "TsubameStore", "Tsubame", "TsubamePlatform", "TsubameCore", "TsubameTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Store"])),
            ],
            swiftSettings: settings),
        // Runs under faults and load, as processes of their own, so that their memory and descriptors can be counted.
        .executableTarget(
            name: "Soak",
            dependencies: [
                "Tsubame", "TsubameStore", "TsubameTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Soak", exclude: ["README.md"], swiftSettings: settings),
        // Promises that hold for any bytes; see Tests/Fuzz/README.md. The tests try the seeds, `make fuzz` searches for more.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "TsubameCore", "TsubameWire", "TsubameRequestFiles",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: settings),
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Main", swiftSettings: settings),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Tsubame", "TsubamePlatform", "TsubameCore", "TsubameWire", "TsubameEngine", "TsubameFoundation",
                "TsubameURLSession", "TsubameXML", "TsubameStore", "TsubameTesting", "TsubameInspector", "HTTPBin",
                "TsubameCLI",
                "TsubameDemo", "StoreWriter",
                "Soak",
                "KeyValueAPI", "RequestParam", "HttpClient", "URLLoader", "MixiAsyncURLConnection", "APIConnector",
                "PhotosModel", "Photos",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Server"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["Server"])),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["Server"])),
            ],
            path: "Tests/EndToEnd",
            swiftSettings: settings),
    ]
)

extension Target {
    static func example(_ name: String, _ more: [Dependency] = []) -> Target {
        .executableTarget(
            name: name, dependencies: ["Tsubame"] + more, path: "Examples/\(name)", swiftSettings: settings)
    }
}
