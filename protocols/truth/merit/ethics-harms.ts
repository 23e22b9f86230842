// Words that tell of harm in the description of an action. A star matches any ending, an underscore stands between words.
import type { Interest } from './ethics-action.ts'

export interface Harm {
  readonly id: string
  readonly interest: Interest
  /** What it is, as one would say it. */
  readonly text: string
  /** Wrong by what the word means: no stated effect answers for it, so people decide. */
  readonly is_grave: boolean
  readonly words: readonly string[]
}

function harm(id: string, interest: Interest, is_grave: boolean, text: string, words: string): Harm {
  return { id, interest, is_grave, text, words: words.trim().split(/\s+/) }
}

const grave: readonly Harm[] = [
  harm(
    'killing',
    'life',
    true,
    'killing, or letting die',
    `kill* murder* assassinat* execute_him execute_her execute_them execute_the_prisoner* execute_prisoner* slaughter* slay* strangl*
    suffocat* drown* behead* stab* lynch* massacre* genocid* exterminat* lethal* deadly fatal* shoot* gun_down euthani* homicid*
    let_die let_him_die let_her_die let_them_die left_to_die leave_to_die to_death end_his_life end_her_life end_their_lives
    take_his_life take_her_life their_deaths bomb* explosive* detonat* grenade* landmine* firearm* ammunition hitman hit_man`,
  ),
  harm(
    'weapons',
    'life',
    true,
    'weapons of mass harm, or terror',
    `nerve_agent sarin anthrax ricin bioweapon* biological_weapon* chemical_weapon* dirty_bomb nuclear_weapon* weapons_grade
    terroris* hijack* car_bomb pipe_bomb poison_gas mustard_gas weaponi* pathogen_release release_a_pathogen smallpox`,
  ),
  harm(
    'injury',
    'health',
    true,
    'hurting people on purpose',
    `tortur* poison* beat_up beats_up beating mutilat* maim* assault* attack_people punch* kick_the whip* burn_the_victim* rape* molest*
    sexual_abuse abuse* abusive acid_attack spike_the_drink* spike_drinks lace_the lace_food drug_the drug_her drug_him sedate_* infect_people
    infect_them contaminate* tamper_with_the_brake* cut_the_brake* starv* withhold_medic* withhold_treatment deny_treatment
    deny_medical untested_drug* experiment_on wound* cripple* violen* cruel* torment* push_him push_her push_them
    break_his break_her break_their_leg* disable_the_smoke disable_smoke disable_the_alarm* fake_medic* counterfeit_medic* expired_medic* expired_vaccine*
    down_the_stairs off_the_bridge off_a_bridge in_front_of_the_train glass_into ground_glass razor* acid broken_glass throw_*_at the_legs_of knife* at_gunpoint recalled*`,
  ),
  harm(
    'self_harm',
    'life',
    true,
    'driving people to harm themselves',
    `suicid* self_harm* self_injur* kill_himself kill_herself kill_themselves anorexi* pro_ana starve_themselves dangerous_challenge`,
  ),
  harm(
    'bondage',
    'liberty',
    true,
    'taking away liberty',
    `kidnap* abduct* enslav* slave* traffick* hostage* imprison* captive* forced_labor forced_labour forced_marriage child_labor
    child_labour confiscate_passport* confiscate_their_passport* take_their_passport* keep_their_passport* lock_the_worker* lock_workers lock_them_in lock_him_in lock_her_in
    against_their_will against_his_will against_her_will under_duress coerc* force_the force_them force_her force_him
    forc*_to_sign forc*_women forc*_people forc*_children forc*_worker* indentured chained unlawfully_detain* detain_without
    debt_bondage intern_without deport_without conscript_children child_soldier*
    brothel* traffic_* without_pay without_leave cannot_leave lock_the lock_* sell_children sell_orphan* sell_women sell_girls sell_babies`,
  ),
  harm(
    'threats',
    'dignity',
    true,
    'threats and blackmail',
    `blackmail* extort* threat* intimidat* ransom* racketeer* protection_money leverage_his_secret* leverage_her_secret* revenge_porn
    or_else swatting swat_* stalk* menac* terrori* harass* bully* cyberbull* humiliat* degrad* mob_her mob_him doxx* dox dox_*`,
  ),
  harm(
    'deceit',
    'economic',
    true,
    'deceit and fraud',
    `fraud* defraud* scam* swindl* forge* forging falsif* fake* faking counterfeit* deceiv* deceptive* mislead* lie_to lies_to lying_to
    lie_about dupe* con_the con_elderly trick_* tricks_* tricking impersonat* pretend* phish* spoof* embezzl* launder*
    ponzi pyramid_scheme insider_trading inside_information insider_information pump_and_dump cook_the_books double_invoice*
    bill_for_work_never invoices_for_nothing invented_invoice* invent_* fabricat* doctored doctor_the backdat* plagiari* cheat* rig_* rigged
    rigging price_fixing fix_prices bid_rigging shell_compan* evade_tax* tax_evasion hide_income conceal* cover_up hush_up hush_money hide_the_defect*
    hide_defect* hide_the_risk* hide_evidence hide_the_evidence suppress_the_evidence destroy_evidence destroy_the_evidence shred_the_evidence plant_evidence
    plant_drugs frame_him frame_her frame_a frame_an perjur* false_testimony false_witness false_statement* false_claim* false_report*
    false_accus* bogus sham hidden_fee* hidden_charge* without_telling without_informing behind_their_back* bait_and_switch dark_pattern* unlicensed_medic*
    never_ordered never_delivered never_existed does_not_exist do_not_exist when_it_is_not although_it_is_not odometer* for_money_that roll_back_the_odometer* swear_in_court swear_falsely overlook* look_the_other_way hide_* hides_* hiding_* before_*_notices so_nobody so_that_nobody so_that_no_one nobody_notices and_keep_them and_keep_it keep_the_donation* the_same_*_to_two the_same_*_to_three to_three_buyers agree_on_prices agree_on_the_prices prices_with_*_competitor* source_code_from competitor_s_source trade_secret* competitors_* side_effects_of`,
  ),
  harm(
    'bribery',
    'economic',
    true,
    'bribery and corruption',
    `brib* kickback* corrupt* under_the_table pay_off_the payoff buy_votes vote_buying buying_votes buy_the_judge
    envelope_of_cash quid_pro_quo graft nepotis*`,
  ),
  harm(
    'theft',
    'property',
    true,
    'taking what belongs to others',
    `steal* stole* theft* rob robs robbing robbery break_into breaks_into broke_into burgl* loot* pilfer* shoplift* pickpocket* misappropriat* skim_* skimming siphon*
    drain_the_account* drain_their drain_his drain_her empty_the_account* empty_their_account* pirat* cracked_software hijack* keylog* stolen
    carjack* squat_in expropriat* pocket_the_difference keep_the_deposits clone_card* clone_credit clone_the_card* card_numbers`,
  ),
  harm(
    'destruction',
    'property',
    true,
    'wilful damage',
    `arson* vandal* sabotag* set_fire set_on_fire burn_down blow_up smash* wreck* deface* slash_the_tire* slash_tires torch_the
    malware ransomware virus_that worm_that ddos denial_of_service botnet* backdoor* back_door* exploit_the_vulnerab* exploit_a_vulnerab*
    hack* wipe_their wipe_the_backup* wipe_all delete_the_audit delete_audit* erase_the_log* delete_the_log* tamper* cut_the_power cut_power
    shut_down_the_grid crash_the_market crash_the_grid disable_the_safety disable_safety brute_force`,
  ),
  harm(
    'spying',
    'privacy',
    true,
    'spying on people',
    `spy spies spying spyware stalkerware wiretap* eavesdrop* hidden_camera* hidden_microphone* secret_camera* secretly* covert* clandestin* peep*
    voyeur* mass_surveillance facial_recognition_on_protest* track_his_wife track_her_husband read_her_messages read_his_messages read_their_private
    without_consent without_her_consent without_his_consent without_their_consent without_permission without_their_permission
    without_their_knowledge without_her_knowledge without_his_knowledge without_asking leak leaks leaked expose_her expose_his out_her out_him out_gay
    sell_patient* sell_medical sell_personal sell_the_personal sell_customer_data sell_the_data sell_user* sell_location sell_health unmask* deanonymi* re_identif* reidentif* password_dump* deepfake* nude* intimate_photo* intimate_picture*
    track_the_wife track_the_husband track_his track_her track_the under_her_car under_his_car the_faces_of`,
  ),
  harm(
    'discrimination',
    'dignity',
    true,
    'treating people as lesser',
    `discriminat* racis* racial* ethnic* sexis* xenophob* antisemit* homophob* transphob* islamophob* misogyn* segregat* ethnic_cleansing apartheid
    supremac* hate_speech slur* incit* dehumani* redlin* because_of_her_race because_of_his_race because_of_their_race because_of_their_religion
    because_she_is_pregnant pregnant_women pregnant_applicant* reject_women reject_men reject_muslim* reject_black* refuse_black*
    refuse_muslim* refuse_jew* refuse_gay refuse_disabled fire_pregnant disabled_applicant* older_applicant* by_race by_religion by_ethnic* by_skin
    persecut* caste_* conversion_therapy eugenic* steriliz* sterilis*
    foreign_name* muslim* jews jewish christians hindus black_* gay lesbian* transgender women_less less_than_the_men wheelchair* immigrant* refugee* minority minorities roma_*`,
  ),
  harm(
    'children',
    'dignity',
    true,
    'harm to children and the helpless',
    `child_porn* groom* lure* paedophil* pedophil* minors_to children_to_work children_smok* alcohol_to_minor* alcohol_to_child* cigarettes_to_minor* cigarettes_to_child*
    drugs_to_child* drugs_to_minor* drugs_to_teen* neglect* abandon* exploit* prey_on elder_abuse orphans_for dementia_to_sign gambling_to_child* gambling_to_minor* vapes_to
    dementia orphan* infant* toddler* teenager* grandmother_* sign_over`,
  ),
  harm(
    'environment',
    'environment',
    true,
    'wilful damage to nature',
    `toxic_waste chemical_waste nuclear_waste radioactive_waste dump_waste dump_the_waste dump_chemical* dump_oil dump_the dumping_* oil_into_the into_the_river into_the_lake
    into_the_ocean into_the_sea into_the_groundwater poach* endangered_species clear_cut illegal_logging log_illegally illegal* unlawful* burn_the_rainforest
    burn_rainforest burn_down_the_forest ivory defeat_device* emissions_cheat overfish* animal_cruelty dogfight* dog_fight* cockfight* trophy_hunt*
    steel_trap* traps_for snare* leghold`,
  ),
  harm(
    'power',
    'liberty',
    true,
    'taking power from those it belongs to',
    `voter_suppress* suppress_vot* suppress_turnout election_interfer* stuff_ballot* ballot_stuff* rig_the_election disinformation propaganda misinformation coup
    silence_journalist* silence_critic* silence_the silence_whistle* retaliat* whistleblow* censor* jail_journalist* jail_critic* jam_the_emergency block_emergency
    block_ambulance* crush_protest* disenfranchis* purge_voter* strip_*_of_citizenship bypass_the_approval bypass_approval* bypass_oversight
    disable_oversight disable_the_monitor* disable_the_kill_switch resist_shutdown evade_oversight evade_detection hide_from_auditor* hide_from_the_auditor* bypass_safety override_safety
    ignore_the_safety ignore_safety ignore_the_warning* ignore_the_recall remove_the_safety remove_safety skip_the_safety skip_safety without_safety
    ballot* emergency_line emergency_number guard_rail* interlock* dictator* demonstrator* protester* secret_police`,
  ),
]

/** At stake by the word, and answered for by an effect that names the interest, its size and consent. */
const at_stake: readonly Harm[] = [
  harm(
    'body',
    'health',
    false,
    'the health of people',
    `patient* surger* surgical* operate_on medicat* medicin* drug* dose* dosage* vaccin* inject* diagnos* therap* treat_the treatment* hospital* injur* hurt*
    harm* sick* disease* virus* radiation toxi* pesticid* allergen* allerg* blood organ organs transplant* triage ambulance* pregnan* disab* blind deaf pain painful*
    hazard* danger* unsafe crash* collision* collide* overdos* opioid* alcohol tobacco gambl* addict* oxygen ventilator* insulin`,
  ),
  harm(
    'life',
    'life',
    false,
    'the life of people',
    `die dies died dying death* dead life_support resuscitat* evacuat* rescue* weapon* gun* missile* drone_strike airstrike* military* combat* soldier* war warfare`,
  ),
  harm(
    'liberty',
    'liberty',
    false,
    'the liberty of people',
    `arrest* detain* deten* jail* prison* deport* evict* expel* ban_the ban_user* ban_a suspend_the_account* restrain* quarantin* lock_out curfew* custody parole*
    surrender* confine* passport* visa citizenship conscript*`,
  ),
  harm(
    'privacy',
    'privacy',
    false,
    'what is private',
    `medical_record* health_record* records_of_a_patient personal_data personal_information private_data private_message* location_data home_address* social_security
    credit_report* biometric* fingerprint* facial_recognition face_recognition surveil* monitor_employee* monitor_the_employee* monitor_staff track_employee* track_user* track_people
    track_customer* record_call* record_the_call* record_conversation* photograph* dna genetic* sexual_orientation criminal_record* salaries salary browsing_history
    password* credentials_of their_email* read_email* read_the_email* profil* background_check*`,
  ),
  harm(
    'property',
    'property',
    false,
    'what belongs to people',
    `demolish* tear_down seize* seizure* confiscat* repossess* foreclos* delete_all delete_the_account* delete_the_database delete_customer* delete_user* destroy* erase_*
    drop_the_database drop_the_table* drop_table wipe* forfeit* tow_* inherit* estate_of`,
  ),
  harm(
    'livelihood',
    'economic',
    false,
    'what people live on',
    `fire_the fire_an fire_all fire_an_employee fire_half fire_him fire_her lay_off* laid_off layoff* dismiss* terminat* cut_wage* cut_the_wage* cut_salar* cut_pay cut_the_pay
    cut_benefit* pension* raise_the_price* raise_price* raise_rent* raise_the_rent* deny_the_mortgage* deny_credit deny_the_claim* deny_claim* deny_insurance
    reject_the_mortgage* reject_the_application* reject_applicant* debt* interest_of usur* garnish* bankrupt* gouge* gouging overcharg* charge_double deny_benefit* withhold*
    unpaid* short_sell* liquidat*`,
  ),
  harm(
    'nature',
    'environment',
    false,
    'nature',
    `pollut* emission* emit_* spill* effluent* wastewater sewage deforest* cut_down_the_tree* fell_the_tree* drain_the_wetland* drain_the_swamp* fossil coal_* drill_for mine_the mining
    pesticid* herbicid* fertiliz* fertilis* habitat* wildlife animal_test* animal_experiment* fishing hunt* cull* dam_the dam_a`,
  ),
  harm(
    'dignity',
    'dignity',
    false,
    'the dignity of people',
    `rank_people score_people social_credit lie_detector* polygraph* mock* insult* ridicul* shame* shaming strip_search* body_search* manipulat* persuad* nudge* addictive`,
  ),
]

export const harms: readonly Harm[] = [...grave, ...at_stake]
