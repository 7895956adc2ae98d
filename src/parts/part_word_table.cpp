// The words of many languages for parts, limbs and things.

#include "part_words.h"

#include <algorithm>

namespace rigspace {
namespace {

/// Words for one thing. English, German, French, Spanish, Italian, Portuguese, Japanese (as spoken and as written),
/// some Russian and Chinese. Words that mean something else in other files are left out: main (hand), dos (back), rock
/// (skirt).
struct WordGroup {
  std::string_view part;    ///< the English word: the part's name
  std::string_view preset;  ///< of chains
  Role role;
  std::string_view whole, ends,
      anywhere;  ///< whole words; those that may end another (foxtail), or begin one (tailbase)
};

void add_words(std::vector<PartWord>& words, const WordGroup& group, std::string_view list, char match) {
  while (!list.empty()) {
    const std::size_t space = std::min(list.find(' '), list.size());
    words.push_back({list.substr(0, space), group.part, group.preset, group.role, match});
    list.remove_prefix(std::min(space + 1, list.size()));
  }
}

std::vector<PartWord> all_words() {
  using enum Role;
  static constexpr WordGroup kGroups[] = {
      {"ponytail", "hair", chain, "coleta", "", "ponytail pferdeschwanz"},
      {"pigtail", "hair", chain, "", "", "pigtail twintail sidetail"},
      {"cape", "hair", chain, "cape mantle manteau capa mantello", "", "coattail cloak umhang マント"},
      {"tail", "tail", chain,
       "queue cola coda rabo cauda caudal fluke hvost ogon staart kuyruk svans tailfeather "
       "tailfeathers",
       "", "tail schwanz schweif shippo 尻尾 しっぽ シッポ 尾 хвост"},
      {"earring", "hair", chain, "", "", "earring"},
      {"ear", "ear", chain, "ear ohr ohren mimi ucho uszy kulak", "",
       "oreille oreja orecchio orecchie orelha 耳 ухо уши"},
      {"braid", "hair", chain, "tresse trenza treccia tranca", "", "braid zopf zopfe"},
      {"hair", "hair", chain, "haar haare pelo kami bangs fringe dread forelock tuft ahoge", "",
       "hair cheveux cheveu cabello capelli cabelo 髪 волос dreadlock"},
      {"beard", "hair", chain, "beard bart barbe barba", "", ""},
      {"mane", "hair", chain, "mane mahne maehne criniere crin melena criniera juba tategami", "", ""},
      {"antenna", "antenna", chain, "antena aerial czulek", "", "antenna antenne feeler fuhler fuehler shokkaku 触角"},
      {"stalk", "ear", chain, "", "", "stalk"},
      {"whisker", "antenna", chain, "", "", "whisker"},
      {"trunk", "tail", chain, "trunk proboscis russel ruessel trompe trompa proboscide", "", ""},
      {"tentacle", "tail", chain, "", "", "tentacle tentakel tentacule tentaculo tentacolo 触手"},
      {"fin", "ear", wing, "fin aleta pinna barbatana pectoral dorsal", "flosse", "nageoire ひれ 鰭"},
      {"flipper", "ear", wing, "", "", "flipper"},
      {"wing", "ear", wing, "wing aile ala asa tsubasa", "", "flugel fluegel 翼 羽"},
      {"wattle", "ear", chain, "", "", "wattle"},
      {"dewlap", "ear", chain, "wamme", "", "dewlap"},
      {"comb", "ear", chain, "comb", "", ""},
      {"hump", "ear", chain, "hump hocker hoecker joroba gobba", "", ""},
      {"abdomen", "tail", chain, "stinger sting stachel gaster", "", "hinterleib"},
      // Of insects a chain (part_chains.cpp).
      {"abdomen", "tail", torso, "", "", "abdomen"},
      {"scarf", "hair", chain, "schal echarpe bufanda sciarpa", "", "scarf マフラー"},
      {"sash", "hair", chain, "sash", "", ""},
      {"ribbon", "hair", chain, "", "", "ribbon リボン"},
      {"tassel", "hair", chain, "", "", "tassel"},
      {"skirt", "hair", chain, "jupe falda gonna", "", "skirt スカート loincloth tabard"},
      {"flag", "hair", chain, "banner flag", "", ""},
      {"veil", "hair", chain, "veil", "", ""},
      {"feather", "ear", chain, "plume", "", "feather"},
      {"leaf", "ear", chain, "leaf leaves petal", "", ""},
      {"vine", "tail", chain, "vine", "", ""},
      {"jiggle", "ear", chain, "", "", "jiggle"},
      {"dangle", "hair", chain, "", "", "dangle"},
      {"rope", "hair", chain, "rope cable cord kabel seil corde cuerda", "", ""},
      // Flesh.
      {"belly", "belly", belly, "tummy paunch udder ventre panza pancia barriga", "", "belly stomach bauch お腹"},
      {"chest", "chest", chest, "bust oppai", "", "breast boob"},
      // The face.
      {"cheek", "cheek", face, "", "", "jowl"},
      // Limbs.
      {"arm", "", limb,
       "humerus ulna palm knuckle index claw pincer collar scapula ellbogen daumen coude epaule doigt "
       "poignet reka dlon ramie lokiec mano dedo codo hombro gomito spalla dito polso ombro ude hiji yubi kata",
       "arm hand bras brazo braccio braco",
       "elbow forearm wrist finger thumb pinky metacarpal phalanx shoulder clavicle schulter 腕 臂 手 指 肩 肘 ひじ "
       "рука"},
      {"leg", "", limb,
       "legs calf shin hock femur tibia feet heel paw ball knie zeh zehen huf jambe cuisse mollet genou pied "
       "patte cheville pierna muslo rodilla pata tobillo gamba coscia ginocchio piede zampa caviglia perna "
       "coxa joelho ashi hiza noga udo kolano stopa",
       "leg toe bein schenkel fuss pfote",
       "upleg foreleg thigh knee foot toebase ankle hoof 足 脚 腿 膝 ひざ つま先 нога"},
      {"limb", "", limb, "", "", "limb"},
      // Hard things, and things in hands.
      {"horn", "", hard, "horn tusk spike", "", "antler"},
      {"shell", "", hard, "shell", "", ""},
      {"wheel", "", hard, "tire tyre gear axle rotor propeller piston", "", "wheel"},
      {"weapon", "", hard, "turret gun rifle pistol blade axe staff bow", "", "sword weapon"},
      {"shield", "", hard, "", "", "shield"},
      {"helmet", "", hard, "hat", "", "helmet"},
      {"prop", "", hard, "prop socket attach backpack camera", "slot", ""},
      {"face", "", face,
       "lid lips brow nose nostril cheek chin teeth tooth fang snout muzzle masseter caninus auge mund maul "
       "schnauze schnabel oeil machoire bouche ojo boca mandibula occhio bocca mascella",
       "lip jaw kiefer", "eye eyelid eyebrow mouth beak mandible 目 口 顎 眉"},
      {"tongue", "", face, "zunge langue lengua lingua", "", "tongue 舌"},
      // Heads, necks, torsos.
      {"head", "", head, "kopf glowa tete cabeza cabeca testa atama skull schadel face", "head", "头 頭 голова"},
      {"neck", "", neck, "hals szyja nacken cou cuello collo pescoco kubi", "", "neck 首"},
      {"chest", "", ribs, "ribs rib brust", "", "chest ribcage thorax"},
      {"torso", "", torso,
       "hips hip waist rumpf becken hufte huefte ruecken rucken bassin colonne columna espina cadera schiena "
       "bacino coluna quadril koshi lowerback",
       "wirbel", "spine pelvis torso body 腰 上半身 下半身"},
      {"back", "", ribs, "back", "", ""},
  };
  std::vector<PartWord> words;
  for (const WordGroup& group : kGroups)
    add_words(words, group, group.whole, 'w'), add_words(words, group, group.ends, 'e'),
        add_words(words, group, group.anywhere, 'b');
  return words;
}

}  // namespace

std::span<const PartWord> part_words() {
  static const std::vector<PartWord> kWords = all_words();
  return kWords;
}

}  // namespace rigspace
